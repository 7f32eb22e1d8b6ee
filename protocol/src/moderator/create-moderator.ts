import type { Definition, Moderator } from '../workflow/index.js';
import { type RulesOptions, rulesModerator } from './jsonata-rules.js';
import { graphModerator } from './status-graph.js';

/** The moderator of a checked definition. Throws rule-failed for a rule that does not parse. */
export function createModerator(definition: Definition, options: RulesOptions = {}): Moderator {
  return definition.moderator === null
    ? graphModerator(definition)
    : rulesModerator(definition, options);
}
