import { type ProblemCode, problemCodes } from './codes.js';

export type ProblemOptions = {
  /** Overrides what the table says of the code. */
  retryable?: boolean;
  cause?: unknown;
  /** Safe to show and to store: no secrets, no payloads. */
  details?: Record<string, unknown>;
};

/** An expected failure. The message says what was wrong, where, and what to do. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly retryable: boolean;
  readonly details: Record<string, unknown>;

  constructor(code: ProblemCode, message: string, options: ProblemOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = problemCodes[code].status;
    this.retryable = options.retryable ?? problemCodes[code].retryable;
    this.details = options.details ?? {};
  }
}

/** The wire form, RFC 9457. */
export type ProblemJson = {
  type: string;
  title: string;
  status: number;
  code: ProblemCode;
  detail: string;
  errors?: unknown;
};

export function toProblemJson(problem: Problem): ProblemJson {
  const { errors } = problem.details;
  return {
    type: `urn:uncaged:problem:${problem.code}`,
    title: problemCodes[problem.code].title,
    status: problem.status,
    code: problem.code,
    detail: problem.message,
    ...(errors === undefined ? {} : { errors }),
  };
}

export function isProblem(error: unknown, code?: ProblemCode): error is Problem {
  return error instanceof Problem && (code === undefined || error.code === code);
}
