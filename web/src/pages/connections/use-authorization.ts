/** A sign-in at a remote server: its state, and its beginning in this browser. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Authorization } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { asksAsShown } from './authorization-text.ts';

export function useAuthorization(id: string) {
  return useQuery({
    queryKey: keys.authorization(id),
    queryFn: async ({ signal }): Promise<Authorization> => {
      const params = { path: { authorization_id: id } };
      return (await call(api.GET('/api/authorizations/{authorization_id}', { params, signal })))
        .authorization;
    },
  });
}

/**
 * Begins the sign-in that is shown, and leaves for the authorization server. When it is another by now, that
 * is read, and `isAnother` says so.
 */
export function useBegin(shown: Authorization) {
  const [isLeaving, leave] = useLeaving();
  const [isAnother, setIsAnother] = useState(false);
  const params = { path: { authorization_id: shown.id } };
  const begin = useApiMutation({
    send: () => call(api.POST('/api/authorizations/{authorization_id}/begin', { params })),
    onMutate: () => setIsAnother(false),
    onSuccess({ url }) {
      if (asksAsShown(url, shown)) {
        leave(url);
      } else {
        setIsAnother(true);
      }
    },
    invalidates: [keys.authorization(shown.id)],
    invalidatesOnError: [keys.authorization(shown.id)],
  });
  return {
    begin: () => begin.mutate(),
    error: begin.error,
    isBusy: begin.isPending || isLeaving,
    isAnother,
  };
}

/** A browser that has not left by then was stopped, or got nothing that it shows. */
const leavingLimitMs = 15_000;

/**
 * Whether the browser is on its way: a second beginning would make the first one's answer worthless. One that
 * comes back by its history is not.
 */
function useLeaving(): [boolean, (url: string) => void] {
  const [isLeaving, setIsLeaving] = useState(false);
  useEffect(() => {
    if (!isLeaving) {
      return;
    }
    const stay = () => setIsLeaving(false);
    const timer = setTimeout(stay, leavingLimitMs);
    window.addEventListener('pageshow', stay);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('pageshow', stay);
    };
  }, [isLeaving]);
  return [
    isLeaving,
    (url) => {
      setIsLeaving(true);
      window.location.assign(url);
    },
  ];
}
