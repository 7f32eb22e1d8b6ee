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
