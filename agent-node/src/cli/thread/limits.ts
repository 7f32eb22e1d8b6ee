/** Lines of a step's content that `live` and `thread show` print; `step show` has the rest. */
export const CONTENT_LINES_MAX = 10;

/** Content read to find these lines, bytes: a line of a megabyte is not read whole to be cut. */
export const CONTENT_HEAD_BYTES = 64 * 1024;

/** A printed line of content, columns: more would bury the rest. */
export const CONTENT_LINE_MAX_COLUMNS = 400;

/** Printed meta of a step, characters. */
export const META_MAX_CHARS = 600;

/** Lines of a meta on a terminal: enough to see what it holds; `step show` has the rest. */
export const META_LINES_MAX = 3;

/** A terminal narrower than this, in columns, gets lines as they are: wrapped they would be columns of crumbs. */
export const WRAP_MIN_COLUMNS = 40;

/** How often a follower asks whether something was written; a look costs microseconds. */
export const FOLLOW_LOOK_MS = 25;

/** How often a follower looks whether the owner still lives. */
export const FOLLOW_RECOVER_MS = 500;

/** Events read at once. */
export const EVENT_PAGE = 200;

/** A replay with a speed waits so long at most where no step was running (paused, interrupted, queued), ms. */
export const REPLAY_IDLE_MAX_MS = 1_000;

/** Highest speed of a replay: beyond it nothing is seen any more. */
export const REPLAY_SPEED_MAX = 10_000;

/** Changed fields of a meta that a comparison prints for a step. */
export const DIFF_FIELDS_MAX = 20;

/** A printed value of a field, characters. */
export const DIFF_VALUE_MAX_CHARS = 200;
