export { Button, buttonLook } from './button.js';
export { classNames } from './class-names.js';
export { CopyId } from './copy-id.js';
export { cutText } from './cut-text.js';
export { Dialog } from './dialog.js';
export { DisclosurePanel } from './disclosure-panel.js';
export { Fact, Facts } from './facts.js';
export { Field, inputLook } from './field.js';
export {
  formatAgo,
  formatBytes,
  formatCount,
  formatDuration,
  formatTime,
  formatUsd,
  shortId,
} from './format.js';
export { Loaded } from './loaded.js';
export { MissingPart } from './missing-part.js';
export { Notice } from './notice.js';
export { Page } from './page.js';
export { Panel } from './panel.js';
export { Empty, Failed, Loading } from './placeholder.js';
export { ShowAll } from './show-all.js';
export { Status } from './status.js';
export { applyTheme, currentTheme, type Theme } from './theme.js';
export { Ago, Elapsed, Time } from './time.js';
export { useNow } from './use-now.js';
export { useOffsetTop } from './use-offset-top.js';
export { ValueView } from './value-view.js';
