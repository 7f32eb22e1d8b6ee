/** Entries let go at the front before the rest is moved together. */
const COMPACT_AT = 1024;

/** First in, first out, each in constant time whatever the length. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #front = 0;

  get length(): number {
    return this.#items.length - this.#front;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  peek(): T | undefined {
    return this.#items[this.#front];
  }

  shift(): T | undefined {
    if (this.#front === this.#items.length) return undefined;
    const item = this.#items[this.#front];
    this.#items[this.#front] = undefined;
    this.#front += 1;
    if (this.#front === this.#items.length) this.clear();
    else if (this.#front === COMPACT_AT) {
      this.#items.splice(0, COMPACT_AT);
      this.#front = 0;
    }
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#front = 0;
  }
}
