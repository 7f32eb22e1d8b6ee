import type { LinkHeaders } from '@uncaged/protocol/link';
import { delegate } from './delegate.js';

/**
 * JSON as a `Response` that is made when somebody looks into it: mostly nobody does, and a real one takes 19 µs
 * of the 120 that the node needs for a small answer.
 */
export class JsonAnswer {
  readonly #text: string;
  readonly #headers: LinkHeaders;
  readonly #status: number;
  #real: Response | null = null;

  /** `headers`: names in lower case, without content-type. */
  constructor(text: string, status: number, headers: LinkHeaders) {
    this.#text = text;
    this.#status = status;
    this.#headers = [...headers, ['content-type', 'application/json']];
  }

  get status(): number {
    return this.#status;
  }

  /** What it is made of; null: somebody may have changed it. */
  static parts(response: Response): { headers: LinkHeaders; body: Uint8Array } | null {
    if (!(#real in response)) return null;
    const answer: JsonAnswer = response;
    if (answer.#real !== null) return null;
    return { headers: answer.#headers, body: Buffer.from(answer.#text) };
  }

  static real(answer: JsonAnswer): Response {
    answer.#real ??= new Response(answer.#text, {
      status: answer.#status,
      headers: answer.#headers,
    });
    return answer.#real;
  }

  static {
    delegate<object, Response>(JsonAnswer.prototype, Response.prototype, (answer) =>
      JsonAnswer.real(answer as JsonAnswer),
    );
  }
}

export function createJsonAnswer(text: string, status: number, headers: LinkHeaders): Response {
  return new JsonAnswer(text, status, headers) as unknown as Response;
}
