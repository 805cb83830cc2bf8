/** Serializes work by key, in order of arrival; different keys run concurrently. */
export type InTurn = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

export function createTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const result = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, result);
    const forget = () => {
      if (last.get(key) === result) {
        last.delete(key);
      }
    };
    result.then(forget, forget);
    return result;
  };
}
