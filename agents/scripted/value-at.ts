/**
 * The value that a script names in an earlier result, by a path such as `agents.0.agent_id`;
 * undefined when it is not there.
 */
export function valueAt(json: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>(memberOf, json);
}

/** Of a list an index, of an object a key of its own. */
function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) {
    return undefined;
  }
  const isMember = Array.isArray(value) ? /^(0|[1-9]\d*)$/.test(key) : Object.hasOwn(value, key);
  return isMember ? Reflect.get(value, key) : undefined;
}
