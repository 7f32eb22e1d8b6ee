type Typed = HTMLInputElement | HTMLTextAreaElement;

/** Watches what is typed into forms. Returns whether something stands in one of them that would be lost with the page. */
export function watchTyping(page: Document): () => boolean {
  const touched = new Set<Typed>();
  page.addEventListener('input', ({ target }) => {
    // What stands outside of a form is in the address, or is nothing.
    if (isTyped(target) && target.form !== null) touched.add(target);
  });
  return () => {
    for (const field of touched) if (!field.isConnected) touched.delete(field);
    return [...touched].some(({ value }) => value !== '');
  };
}

function isTyped(target: EventTarget | null): target is Typed {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}
