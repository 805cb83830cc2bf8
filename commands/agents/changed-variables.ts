type Env = Readonly<Record<string, string>>;

/** Names of the variables that were added, changed or removed, sorted: an event carries them, and never their values. */
export function changedVariables(before: Env, after: Env): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => before[name] !== after[name])
    .sort();
}
