import { type Definition, errorFinding, type Finding, warningFinding } from '../workflow/index.js';
import { ruleSyntaxError } from './jsonata-rules.js';

/** Rules whose JSONata does not parse, and rules that an earlier one without `when` hides. */
export function checkRules(definition: Definition): Finding[] {
  const findings: Finding[] = [];
  const decided = new Map<string, number>();
  for (const [index, { from, when }] of (definition.moderator ?? []).entries()) {
    const error = when === null ? null : ruleSyntaxError(when);
    if (error !== null) {
      findings.push(
        errorFinding(
          'rule-syntax',
          ['moderator', index, 'when'],
          `"when" is not JSONata: ${error}.`,
          "Write an expression that is true or false, such as steps[-1].meta.status = 'ok'.",
        ),
      );
    }
    const earlier = decided.get(from);
    if (earlier !== undefined) {
      findings.push(
        warningFinding(
          'rule-hidden',
          ['moderator', index],
          `Rule ${index + 1} is never reached: rule ${earlier + 1} from the same role always holds.`,
          'Move it before that rule, or remove it.',
        ),
      );
    } else if (when === null) {
      decided.set(from, index);
    }
  }
  return findings;
}
