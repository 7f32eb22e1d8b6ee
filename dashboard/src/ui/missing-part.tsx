import { Notice } from './notice.js';

/** In place of a part of the page that could not be fetched. Nothing can be tried here: a browser asks for a part once. */
export function MissingPart() {
  return (
    <Notice kind="warning" className="m-4">
      This part of the page could not be fetched. The page loads itself anew as soon as the gateway
      answers.
    </Notice>
  );
}
