/** Every limit of the page, with its unit in the name and its reason beside it. */

/** Rows asked for at a time in a list that scrolls: some three screens. */
export const LIST_PAGE_ROWS = 100;

/** Threads remembered beside the lists, per node: what runs or changed while somebody watched. */
export const REMEMBERED_THREADS = 500;

/** Text of a step in flight that is kept, characters: its end; the whole is there when the step is done. */
export const LIVE_TEXT_CHARACTERS = 200_000;

/** A step's text is opened with its last so many bytes: a screenful of screens, and Markdown of it renders at once. */
export const CONTENT_TAIL_BYTES = 64 * 1024;

/** Text shown as Markdown, characters; beyond it parsing takes longer than a person waits, and plain text is shown. */
export const MARKDOWN_CHARACTERS = 200_000;

/** The whole text is loaded into the page up to so many bytes; a larger one is downloaded. */
export const CONTENT_WHOLE_BYTES = 32 * 1024 * 1024;

/** Between two looks at a thread that keeps changing, ms: often enough to watch, far less than each event. */
export const REFRESH_EVERY_MS = 700;

/** Threads looked at again at the same time; a browser has six connections to a host, one of which is the stream. */
export const REFRESHES_AT_ONCE = 2;

/** A read that failed for a reason that may pass is tried again so often. */
export const READ_RETRIES = 2;

/** Threads of today that are counted, at most: five full pages. */
export const TODAY_THREADS = 1_000;

/** Failures shown on the first view, and threads that came to their end. */
export const RECENT_FAILURES = 8;
export const RECENT_COMPLETED = 5;

/** Elapsed times tick once a second. */
export const TICK_MS = 1_000;

/** How long "copied" stays, ms. */
export const COPIED_MS = 1_500;

/** Typing in a search box is a search after so many ms of silence. */
export const SEARCH_PAUSE_MS = 250;

/** A tab tells the shared stream that it is there, and is forgotten when it has not for so long (a crash says nothing), ms. */
export const TAB_SAYS_EVERY_MS = 5_000;
export const TAB_FORGOTTEN_AFTER_MS = 90_000;

/** Lines of a log shown at once; before them a button loads the rest. */
export const LOG_LINES = 2_000;

/** Threads whose live text one stream carries, at most (the API's own limit). */
export const LIVE_THREADS = 16;

/** Steps asked for at a time, the most an API gives: each carries up to 4 kB of its text, and a long thread comes in few pages. */
export const STEP_PAGE_ROWS = 200;

/** Events of one commit come together; what follows from them is asked for once, so many ms after the first. */
export const EVENTS_COME_TOGETHER_MS = 40;

/** How long the reason stays when a button that cannot be used is pressed, ms: two lines are read in that time. */
export const TOLD_MS = 5_000;

/** A page that could not be loaded because nobody answered is tried again so often, ms. */
export const RETRY_PAGE_MS = 3_000;

/** A page whose parts are gone is loaded anew, but not twice within so many ms: then it is not a new build. */
export const RELOAD_AGAIN_AFTER_MS = 30_000;

/** Threads whose workspaces are offered at a start. */
export const OFFERED_WORKSPACES = 6;

/** After a jump the target is kept in view for so many ms: until cards near it are measured and their texts are there. */
export const JUMP_MS = 800;
/** Of the roots and those, how many stand below the field; all are offered while typing. */
export const SHOWN_WORKSPACES = 4;

/** Texts up to so many bytes are compared line by line in the page; larger ones would stop it. */
export const DIFF_TEXT_BYTES = 1024 * 1024;

/** How long a comparison may take, ms: nothing else happens in the page meanwhile. */
export const DIFF_MAX_MS = 500;

/** Lines of a comparison drawn at once. */
export const SHOWN_DIFF_LINES = 400;

/** The parts of the page that it does not begin with are fetched so many ms after it is live: what is being looked at comes first. */
export const FETCH_PARTS_AFTER_MS = 300;

/** Turns of a trace drawn at once. */
export const TURNS_AT_FIRST = 50;

/** Nodes that are asked which workflows they have when a start may go to any of them. */
export const ASKED_FOR_WORKFLOWS = 12;
