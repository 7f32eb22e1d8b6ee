export { ForkDialog } from './fork-dialog.js';
export { HistoryButtons } from './history-buttons.js';
export { ImportButton } from './import-button.js';
export { LineageTab } from './lineage-tab.js';
