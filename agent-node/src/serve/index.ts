export { isLoopback } from './address.js';
export { type RunningServer, type ServingInput, startServing } from './start-serving.js';
