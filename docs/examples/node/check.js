// Checks a request before it is sent: proto-loader drops a field that it does
// not know, and makes 0 of a word that it does not know, without an error.
'use strict';

const JS_TYPES = { TYPE_BOOL: 'boolean', TYPE_STRING: 'string' };

// The edits that make one word of the other.
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; ++i) {
    const next = [i];
    for (let j = 1; j <= b.length; ++j) {
      next.push(Math.min(row[j] + 1, next[j - 1] + 1,
        row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length];
}

// The name that may have been meant, and all of them.
function choices(word, names) {
  const fold = (name) => name.toLowerCase().replaceAll('_', '');
  const far = (name) => {
    if (name.toLowerCase().endsWith(`_${word.toLowerCase()}`)) return 0;
    return distance(fold(word), fold(name));
  };
  const [near] = [...names].sort((a, b) => far(a) - far(b));
  const close = near !== undefined && far(near) <= near.length / 3;
  const hint = close ? `; did you mean ${near}?` : '.';
  return `${hint} It has: ${names.join(', ')}`;
}

// A function checked(TYPE, message) for the messages of a package that
// proto-loader has loaded with keepCase. It returns the message, or throws a
// TypeError with the path of the first name or value that does not fit.
function checker(definition, packageName) {
  const typeOf = (name) =>
    definition[`${packageName}.${name.split('.').pop()}`].type;

  function checkFields(type, message, path) {
    if (typeof message !== 'object' || Array.isArray(message)) {
      throw new TypeError(`${path}: must be an object, a ${type.name}`);
    }
    for (const [name, value] of Object.entries(message)) {
      const place = path === '' ? name : `${path}.${name}`;
      const field = type.field.find((candidate) => candidate.name === name);
      if (field === undefined) {
        throw new TypeError(`${place}: ${type.name} has no such field` +
          choices(name, type.field.map((known) => known.name)));
      }
      if (value != null) checkField(type, field, value, place);
    }
  }

  function checkField(type, field, value, path) {
    const entry = type.nestedType.find((nested) =>
      nested.name === field.typeName && nested.options?.mapEntry);
    if (entry !== undefined) {
      for (const [key, item] of Object.entries(value)) {
        checkValue(entry.field[1], item, `${path}["${key}"]`);
      }
    } else if (field.label === 'LABEL_REPEATED') {
      if (!Array.isArray(value)) {
        throw new TypeError(`${path}: must be an array`);
      }
      value.forEach((item, i) => checkValue(field, item, `${path}[${i}]`));
    } else {
      checkValue(field, value, path);
    }
  }

  function checkValue(field, value, path) {
    if (field.type === 'TYPE_MESSAGE') {
      checkFields(typeOf(field.typeName), value, path);
    } else if (field.type === 'TYPE_ENUM') {
      checkEnum(typeOf(field.typeName), value, path);
    } else if (field.type === 'TYPE_BYTES') {
      if (!(value instanceof Uint8Array)) {
        throw new TypeError(`${path}: must be a Buffer`);
      }
    } else {
      const wanted = JS_TYPES[field.type] ?? 'number';
      if (typeof value !== wanted) {
        throw new TypeError(`${path}: must be a ${wanted}, not ` +
          JSON.stringify(value));
      }
    }
  }

  function checkEnum(type, value, path) {
    if (type.value.some(({ name, number }) =>
      name === value || number === value)) return;
    throw new TypeError(
      `${path}: ${type.name} has no value ${JSON.stringify(value)}` +
      choices(String(value), type.value.map(({ name }) => name)));
  }

  return (typeName, message) => {
    checkFields(typeOf(typeName), message, '');
    return message;
  };
}

module.exports = { checker };
