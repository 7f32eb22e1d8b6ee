/**
 * Makes what `bare` is the prototype of instances of a class of the platform: whatever it does not have itself is asked of a
 * real one, that `realOf` makes.
 */
export function delegate<Bare extends object, Real extends object>(
  bare: Bare,
  real: Real,
  realOf: (bare: Bare) => Real,
): void {
  Object.setPrototypeOf(bare, real);
  for (const [name, { get, value }] of Object.entries(Object.getOwnPropertyDescriptors(real))) {
    if (Object.hasOwn(bare, name)) continue;
    if (get !== undefined)
      Object.defineProperty(bare, name, {
        get(this: Bare) {
          return get.call(realOf(this));
        },
      });
    else if (typeof value === 'function')
      Object.defineProperty(bare, name, {
        value(this: Bare, ...args: unknown[]) {
          return value.apply(realOf(this), args);
        },
      });
  }
}
