// Checks values by the part of JSON Schema that the options use.

export interface Schema {
  type?: string | string[];
  enum?: string[];
  anyOf?: Schema[];
  items?: Schema;
  additionalProperties?: Schema;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minItems?: number;
  maxItems?: number;
}

/** What a value must be, if the schema does not allow it. */
export function wrong(schema: Schema, value: unknown): string | undefined {
  if (schema.enum) {
    return schema.enum.includes(value as string) ? undefined
      : `one of ${schema.enum.join(', ')}`;
  }
  if (schema.anyOf) {
    const whys = schema.anyOf.map((one) => wrong(one, value));
    return whys.includes(undefined) ? undefined : whys.join(', or ');
  }
  const types = [schema.type ?? []].flat();
  if (!types.some((type) => isOfType(type, value))) {
    return types.map((type) => TYPE_WORDS[type]).join(' or ');
  }
  if (typeof value === 'number') return wrongNumber(schema, value);
  if (Array.isArray(value)) return wrongArray(schema, value);
  if (typeof value === 'object' && schema.additionalProperties) {
    return firstWrong(schema.additionalProperties, Object.values(value ?? {}));
  }
  return undefined;
}

const TYPE_WORDS: Record<string, string> = {
  boolean: 'true or false', integer: 'a whole number', number: 'a number',
  string: 'a string', array: 'an array', object: 'an object', null: 'null',
};

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'integer': return Number.isSafeInteger(value);
    case 'number': return Number.isFinite(value);
    case 'array': return Array.isArray(value);
    case 'null': return value === null;
    case 'object':
      return typeof value === 'object' && value !== null &&
        !Array.isArray(value);
    default: return typeof value === type;
  }
}

function wrongNumber(schema: Schema, value: number): string | undefined {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum } = schema;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) {
    return `above ${exclusiveMinimum}`;
  }
  if (value >= minimum && value <= maximum) return undefined;
  return maximum === Infinity ? `at least ${minimum}`
    : `from ${minimum} to ${maximum}`;
}

function wrongArray(schema: Schema, values: unknown[]): string | undefined {
  const { minItems = 0, maxItems = Infinity } = schema;
  if (values.length < minItems || values.length > maxItems) {
    return minItems === maxItems ? `${minItems} values`
      : `${minItems} to ${maxItems} values`;
  }
  return schema.items && firstWrong(schema.items, values);
}

function firstWrong(schema: Schema, values: unknown[]): string | undefined {
  for (const value of values) {
    const why = wrong(schema, value);
    if (why) return `${why}, each`;
  }
  return undefined;
}

// --- Suggestions for a misspelt name.

/** "; did you mean 'NAME'?", or nothing. */
export function didYouMean(word: string, names: readonly string[]): string {
  const fold = (name: string) => name.toLowerCase().replaceAll('_', '');
  const far = (name: string) => distance(fold(word), fold(name));
  const [near = ''] = [...names].sort((a, b) => far(a) - far(b));
  const most = Math.max(2, word.length / 3);
  return far(near) <= most && far(near) < word.length / 2
    ? `; did you mean '${near}'?` : '';
}

// The edits that make one word of the other: a letter is added, removed or
// replaced, or two neighbours are exchanged.
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; ++i) {
    const row = [i];
    const last = rows[i - 1]!;
    for (let j = 1; j <= b.length; ++j) {
      const isSame = a[i - 1] === b[j - 1];
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1,
        last[j - 1]! + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1);
      }
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
