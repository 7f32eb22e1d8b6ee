export { createEventHub, type EventHub, type EventHubInput, type FollowOptions } from './hub.js';
export { EVENT_LIMITS, type EventLimits } from './limits.js';
