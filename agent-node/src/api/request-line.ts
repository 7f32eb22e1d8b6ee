/** What the server or the link knows of the request line, as a URL has lost its dot segments, and how it likes its answers. */
export type RequestLine = {
  incoming?: { url?: string | undefined };
  rawPath?: string;
  /** Makes the answer of a route that gives JSON; left out, it is an ordinary `Response`. Names of headers in lower case. */
  jsonResponse?: (text: string, status: number, headers: [string, string][]) => Response;
};

/** Path and query of a request as they stood in its request line, as far as anybody knows. */
export function rawTarget(request: Request, line: RequestLine | undefined): string {
  return line?.incoming?.url ?? line?.rawPath ?? targetOf(request.url);
}

function targetOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  return start < 0 ? '/' : url.slice(start);
}
