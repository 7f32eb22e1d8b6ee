import { Field, inputLook } from '../../ui/index.js';
import type { InputField } from './input-fields.js';

/** One field of the form of inputs. */
export function InputControl({
  field,
  value,
  problem,
  onChange,
}: {
  field: InputField;
  value: string;
  problem: string | undefined;
  onChange: (value: string) => void;
}) {
  const { name, kind, required, description, options } = field;
  return (
    <Field
      label={name}
      required={required}
      hint={description === '' ? undefined : description}
      problem={problem}
    >
      {(tied) => {
        const common = {
          ...tied,
          className: inputLook,
          value,
          onChange: (event: { target: { value: string } }) => onChange(event.target.value),
        };
        if (kind === 'choice' || kind === 'boolean')
          return (
            <select {...common}>
              <option value="">{required ? 'Choose one' : 'Not given'}</option>
              {(kind === 'boolean' ? ['true', 'false'] : options).map((option) => (
                <option key={option} value={option}>
                  {option}
                </option>
              ))}
            </select>
          );
        if (kind === 'long-text' || kind === 'json')
          return (
            <textarea
              {...common}
              rows={kind === 'json' ? 3 : 5}
              spellCheck={kind !== 'json'}
              placeholder={kind === 'json' ? 'JSON' : undefined}
            />
          );
        return <input {...common} type="text" inputMode={kind === 'text' ? 'text' : 'decimal'} />;
      }}
    </Field>
  );
}
