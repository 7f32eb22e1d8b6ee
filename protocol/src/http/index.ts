export { type Answer, type Call, checkCall, type Found } from './call.js';
export { createHostCheck, type RequestOrigin } from './host-check.js';
export { readJsonBody } from './json-body.js';
export { openApiPath } from './open-api.js';
export { PAGE_HEADERS, pageCaching } from './page-headers.js';
export { formatPrincipal, PRINCIPAL_HEADER, type Principal, parsePrincipal } from './principal.js';
export { type ProblemAnswer, problemAnswer } from './problem-answer.js';
export { checkRawPath } from './raw-path.js';
