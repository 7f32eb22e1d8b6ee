import { expect, it } from 'vitest';
import { isNewWork, placeRefusal } from './place-refusal.js';

const threadId = '01M8Q9VTBKK0Q6ZM5087E6DBR1';
const thread = { threadId, workspace: '/home/ada/shop', workspaceMade: false, imported: false };

it('says why nothing new can be done where a thread works, naming the directory and what can', () => {
  const refusal = placeRefusal(thread, 'build-1', ['/srv']);
  expect(refusal).toContain('/home/ada/shop');
  expect(refusal).toContain(`"uwf thread fork ${threadId}" on build-1`);
  expect(placeRefusal(thread, 'build-1', [])).not.toBeNull();
});

it('refuses nothing below a root, in a directory that the node made, of a copy, or before the roots are known', () => {
  expect(placeRefusal(thread, 'build-1', ['/home/ada'])).toBeNull();
  const made = { ...thread, workspaceMade: true };
  expect(placeRefusal(made, 'build-1', [])).toBeNull();
  expect(placeRefusal({ ...thread, imported: true }, 'build-1', [])).toBeNull();
  expect(placeRefusal(thread, 'build-1', null)).toBeNull();
});

it('takes for new what the thread was not asked for', () => {
  const none = { maxSteps: null, maxVisits: null, budget: null, stopAt: null };
  const source = { version: 'V1', options: { ...none, agents: { coder: 'claude' } } };
  const nothing = { prompt: ' ', version: '', agents: {} };
  expect(isNewWork(source, nothing)).toBe(false);
  expect(isNewWork(source, { ...nothing, version: 'V1', agents: { coder: 'claude' } })).toBe(false);
  expect(isNewWork(source, { ...nothing, agents: { reviewer: ' ' } })).toBe(false);
  expect(isNewWork(source, { ...nothing, prompt: 'Else.' })).toBe(true);
  expect(isNewWork(source, { ...nothing, version: 'V2' })).toBe(true);
  expect(isNewWork(source, { ...nothing, agents: { coder: 'canned' } })).toBe(true);
  expect(isNewWork(source, { ...nothing, agents: { toString: 'canned' } })).toBe(true);
});
