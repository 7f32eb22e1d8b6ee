export { LoginForm } from './login-form.js';
export { refusalOf } from './refusal.js';
export { safeReturnPath } from './return-path.js';
export { sessionQuery, useSession } from './session-query.js';
export { useRefusal } from './use-refusal.js';
