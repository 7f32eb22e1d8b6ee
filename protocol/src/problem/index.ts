export { type ProblemCode, problemCodes } from './codes.js';
export { exitCodeOfStatus } from './exit-code.js';
export {
  isProblem,
  Problem,
  type ProblemJson,
  type ProblemOptions,
  toProblemJson,
} from './problem.js';
