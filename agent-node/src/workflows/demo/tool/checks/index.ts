export { runChecks } from './run-checks.js';
export { TITLES } from './titles.js';
export {
  CHECK_NAMES,
  type CheckContext,
  type CheckName,
  type CheckResult,
  type Finding,
} from './types.js';
