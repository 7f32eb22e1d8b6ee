/** Content of a step in JSON, bytes: enough to read what it is about; the rest is fetched by ranges. */
export const STEP_CONTENT_BYTES = 4 * 1024;
