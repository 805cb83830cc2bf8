const kept = 50;

/** The last calls of tools: which person each was made as. The latest is the first. */
export function openCalls() {
  const calls = [];
  return {
    list: () => [...calls],
    note(tool, person) {
      calls.unshift({ at: new Date(), tool, person: person.name });
      calls.splice(kept);
    },
  };
}
