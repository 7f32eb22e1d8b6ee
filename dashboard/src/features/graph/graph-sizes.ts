/** Every measure of the drawing, in px of the drawing at zoom 1, and why it is so. */

/** A role: a name and a line below it. The name is cut beyond the widest, and shown whole on hover. */
export const ROLE_HEIGHT = 52;
export const ROLE_WIDTH_MIN = 132;
export const ROLE_WIDTH_MAX = 216;
/** What a role's box has beside its name. */
export const ROLE_WIDTH_AROUND = 40;
/** Start and end: an icon and a word. */
export const SENTINEL_WIDTH = 76;
export const SENTINEL_HEIGHT = 28;

/** A character of a name and of a label, on average; they are drawn with 13 and 11 px. */
export const NAME_CHARACTER = 7.2;
export const LABEL_CHARACTER = 6.8;
export const LABEL_WIDTH_MIN = 24;
export const LABEL_WIDTH_MAX = 112;
/** Padding and border of a label. */
export const LABEL_AROUND = 14;
export const LABEL_LINE = 16;
/** Conditions written below each other; of more, the rest is counted. */
export const LABEL_LINES_MAX = 3;

/** Between neighbours of a layer. */
export const NODE_GAP = 40;
/** Between edges that go down side by side. */
export const EDGE_GAP = 16;
/** Between two layers, at least: an arrow and some air. */
export const LAYER_GAP_MIN = 48;
/** Room in which an edge turns to its label and from it; more where it has far to go. */
export const BEND_MIN = 18;
export const BEND_MAX = 56;
/** An edge goes aside so many px while it goes down one. */
export const BEND_SLOPE = 8;
/** The arrow stands in the last px of an edge. */
export const ARROW = 12;

/** Where edges leave a node's side they are so far apart that each has its label. */
export const PORT_PITCH = 18;
/** From the middle of a node to where an edge beside the column goes down from it or comes into it from above. */
export const PORT_ASIDE = 18;
/** A line before and after the label at a node's side. */
export const STUB = 12;
/** From the nodes to the first edge beside them, without labels. */
export const LANE_ASIDE = 28;
export const LANE_GAP = 14;
/** Between horizontal parts of edges between two layers. */
export const TRACK_GAP = 10;
/** How far a loop goes out. */
export const LOOP_OUT = 18;

/** Corners of edges. */
export const CORNER_RADIUS = 10;
/** Around everything. */
export const MARGIN = 16;
/** The arrow at an edge's end; shorter than ARROW, so that it stands on a straight piece. */
export const ARROW_LENGTH = 8;
export const ARROW_WIDTH = 8;
/** Beside an edge, where a pointer still means it. */
export const EDGE_REACH = 14;

/** Text is read at this zoom and more; a drawing that is smaller when all of it is shown begins at its first part instead. */
export const ZOOM_READABLE = 0.75;
export const ZOOM_MAX = 2;
/** Labels are left out below: nobody reads them. */
export const ZOOM_LABELS = 0.4;
/** Below, a role is a block of its colour, and lines are drawn as if at this zoom: else there is nothing to see. */
export const ZOOM_FAR = 0.2;
/** One press of a button. */
export const ZOOM_STEP = 1.4;
/** What is drawn is looked at again when the view moved so many px: parts this far outside are drawn beforehand. */
export const VIEW_STEP = 240;

/** Height of the frame: what its layers need, within these; more is panned to. */
export const FRAME_HEIGHT_MIN = 200;
export const FRAME_HEIGHT_MAX = 640;
/** A layer with the room above it. */
export const LAYER_HEIGHT_ABOUT = 104;

/** Lines of edges, and of one that is marked. */
export const EDGE_WIDTH = 1.25;
export const TAKEN_WIDTH = 2.5;
