import { expect, it } from 'vitest';
import { textsBelowFields } from './texts-below-fields.js';

it('leaves out the fields that both texts begin with', () => {
  expect(textsBelowFields('---\nn: 1\n---\nOne\n', '---\nn: 2\n---\nTwo\n')).toEqual({
    ...{ a: 'One\n', b: 'Two\n', isBelowFields: true },
  });
  expect(textsBelowFields('---\nn: 1\n---\n', '---\nn: 2\n---\nTwo\n')).toEqual({
    ...{ a: '', b: 'Two\n', isBelowFields: true },
  });
});

it('keeps both whole where one has no fields, or where they do not end', () => {
  const fields = '---\nn: 1\n---\nOne\n';
  for (const other of ['Two\n', '---\nn: 2\nand on it goes', ''])
    expect(textsBelowFields(fields, other)).toEqual({ a: fields, b: other, isBelowFields: false });
});
