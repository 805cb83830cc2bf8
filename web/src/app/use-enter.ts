import { useQueryClient } from '@tanstack/react-query';
import { reportSignedIn } from '../api/connection.ts';
import { keys } from '../api/keys.ts';
import type { Me } from '../api/types.ts';

/**
 * Continues the page as the person who signed in. A different person gets a new page:
 * nothing of the first remains.
 */
export function useEnter(): (me: Me) => void {
  const queries = useQueryClient();
  return (me) => {
    const before = queries.getQueryData<Me>(keys.me);
    if (before !== undefined && before.user.id !== me.user.id) {
      window.location.assign('/app/');
      return;
    }
    queries.setQueryData(keys.me, me);
    reportSignedIn();
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.me[0] });
  };
}
