/** Validation messages in plain language: the validation library's own texts name its types and symbols. */
import * as z from 'zod';

/**
 * Begins with "must" or "is", so that it can follow a field's name. A schema's own message takes precedence.
 */
const plainMessage: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value')) {
    return isRequired;
  }
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? 'of another type'}`;
    case 'too_small':
      return sizeMessage(issue.origin, Number(issue.minimum), 'at least');
    case 'too_big':
      return sizeMessage(issue.origin, Number(issue.maximum), 'at most');
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_format':
      return `must be ${formatNames[issue.format] ?? 'written in another way'}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_union':
      return 'must have one of the forms that are described for it';
    case 'unrecognized_keys':
      return `must not have ${issue.keys.join(', ')}`;
    case 'invalid_key':
      return 'has a name that is not allowed';
    default:
      return 'is not valid';
  }
};

/** The message of a field that is missing. */
export const isRequired = 'is required';

const typeNames: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'empty',
};

const formatNames: Record<string, string> = {
  email: 'an e-mail address',
  url: 'an address such as https://server.example/mcp',
  uuid: 'an id, such as the one of its page’s address',
  datetime: 'a time such as 2026-11-22T14:00:00Z',
};

function sizeMessage(origin: string, size: number, bound: 'at least' | 'at most'): string {
  if (origin === 'string') {
    return size === 1 && bound === 'at least'
      ? 'must not be empty'
      : `must have ${bound} ${counted(size, 'character')}`;
  }
  if (['array', 'set', 'object', 'record', 'map'].includes(origin)) {
    return `must have ${bound} ${counted(size, 'item')}`;
  }
  return `must be ${bound} ${size}`;
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

z.config({ localeError: plainMessage });
