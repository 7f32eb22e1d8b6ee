export { askNode, type Question } from './ask-node.js';
export { type Exchange, forward } from './forward.js';
export { createMergedThreads, type MergedThreads, type ThreadsQuery } from './merged-threads.js';
export { requireLink } from './require-link.js';
export { createStarter, type Starter, type StartRequest, type Starts } from './start-somewhere.js';
export { parseTarget, type Target } from './target.js';
export { createThreadHosts, type ThreadHosts } from './thread-host.js';
export { createUpload } from './upload.js';
