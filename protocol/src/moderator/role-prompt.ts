import type { DefinitionRole } from '../workflow/index.js';

/** What an agent reads of its role, Markdown; '' when the role says nothing of itself. */
export function rolePrompt(role: DefinitionRole): string {
  const capabilities = (role.capabilities ?? []).map((line) => `- ${line.trim()}`).join('\n');
  const sections: [string, string | null][] = [
    ['Goal', role.goal],
    ['Capabilities', capabilities],
    ['Procedure', role.procedure],
    ['Output', role.output],
  ];
  return sections
    .map(([title, text]) => [title, (text ?? '').trim()] as const)
    .filter(([, text]) => text !== '')
    .map(([title, text]) => `## ${title}\n\n${text}`)
    .join('\n\n');
}
