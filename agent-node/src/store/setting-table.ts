import type { Connection } from './connection.js';
import type { Store } from './store.js';

export function createSettingTable(connection: Connection): Store['settings'] {
  const get = connection.value<string>('SELECT value FROM setting WHERE key=?');
  const set = connection.change('INSERT OR REPLACE INTO setting(key, value) VALUES(?, ?)');
  return {
    get: (key) => get(key) ?? null,
    set: (key, value) => void set(key, value),
  };
}
