/**
 * Like `useState`, for what somebody types: it survives navigation and a reload of this tab.
 * Never for secret values.
 */
import { useCallback, useState } from 'react';
import { readDraft, writeDraft } from '../app/drafts.ts';
import { useMe, useWorkspace } from '../app/signed-in.tsx';
import { withoutSecrets } from '../text/draft-text.ts';

/** `name` tells the drafts of a workspace apart. What equals `initial` is no draft. */
export function useDraft<Value>(
  name: string,
  initial: Value,
): [Value, (next: Value | ((before: Value) => Value)) => void, () => void] {
  const { user } = useMe();
  const { slug } = useWorkspace();
  const [begun] = useState(initial);
  const [value, setValue] = useState<Value>(
    () => (readDraft({ userId: user.id, slug }, name) as Value | null) ?? initial,
  );
  const set = useCallback(
    (next: Value | ((before: Value) => Value)) =>
      setValue((before) => {
        const after = next instanceof Function ? next(before) : next;
        const isDraft = JSON.stringify(after) !== JSON.stringify(begun);
        writeDraft({ userId: user.id, slug }, name, isDraft ? withoutSecrets(after) : null);
        return after;
      }),
    [user.id, slug, name, begun],
  );
  const forget = useCallback(() => writeDraft({ userId: user.id, slug }, name, null), [user.id, slug, name]);
  return [value, set, forget];
}
