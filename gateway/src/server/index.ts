export { type Gateway, type GatewayInput, startGateway } from './create-gateway.js';
export { VERSION } from './version.js';
