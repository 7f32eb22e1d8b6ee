/** What the server or the link knows of the request line; a URL has lost its dot segments. */
export type RequestLine = { incoming?: { url?: string | undefined }; rawPath?: string };

/** Path and query of a request as they stood in its request line, as far as anybody knows. */
export function rawTarget(request: Request, line: RequestLine | undefined): string {
  return line?.incoming?.url ?? line?.rawPath ?? targetOf(request.url);
}

function targetOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  return start < 0 ? '/' : url.slice(start);
}
