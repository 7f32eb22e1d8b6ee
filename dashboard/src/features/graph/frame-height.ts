import { toModel } from './graph-model.js';
import type { GraphProps } from './graph-props.js';
import { FRAME_HEIGHT_MAX, FRAME_HEIGHT_MIN, LAYER_HEIGHT_ABOUT } from './graph-sizes.js';
import { rankNodes } from './ranks.js';

/** How high the frame of a drawing is, px; known before it is drawn. */
export function frameHeight(roles: readonly string[], edges: GraphProps['edges']): number {
  const { ranks } = rankNodes(toModel(roles, edges));
  const layers = ranks.size === 0 ? 0 : Math.max(...ranks.values()) + 1;
  return Math.min(FRAME_HEIGHT_MAX, Math.max(FRAME_HEIGHT_MIN, layers * LAYER_HEIGHT_ABOUT));
}
