/**
 * The one way in which a page changes something: it names what the change makes
 * stale, and that is read again.
 */
import {
  type QueryKey,
  type UseMutationOptions,
  type UseMutationResult,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { announce } from '../components/toasts.tsx';

interface ApiMutation<Data, Variables>
  extends Pick<UseMutationOptions<Data, Error, Variables>, 'gcTime' | 'retry' | 'retryDelay'> {
  /** Sends the change. Rejects with an ApiFailure. */
  send(variables: Variables): Promise<Data>;
  /** Called before `send`, once for all retries. */
  onMutate?(): void;
  /** Cached answers that are stale after a success. */
  invalidates?: readonly QueryKey[];
  /** Those that may be stale after a failure, such as an answer that was lost on its way. */
  invalidatesOnError?: readonly QueryKey[];
  /** Called as soon as the platform has accepted the change. */
  onSuccess?(data: Data, variables: Variables): void;
  /** Called once what is shown of `invalidates` has been read again. */
  onRefetched?(data: Data): void;
  onError?(error: Error): void;
  /** What was done, in a few words, where the page that shows it is another one. */
  done?: string;
}

/**
 * The mutation is pending until what is shown of `invalidates` has been read again: a form is busy for as
 * long as the page is stale.
 */
export function useApiMutation<Data, Variables = void>({
  send,
  onMutate,
  invalidates = [],
  invalidatesOnError = [],
  onSuccess,
  onRefetched,
  onError,
  done,
  ...options
}: ApiMutation<Data, Variables>): UseMutationResult<Data, Error, Variables> {
  const queries = useQueryClient();
  const refetch = (queryKeys: readonly QueryKey[]) =>
    Promise.all(queryKeys.map((queryKey) => queries.invalidateQueries({ queryKey })));
  return useMutation({
    ...options,
    mutationFn: (variables: Variables) => send(variables),
    onMutate() {
      onMutate?.();
    },
    async onSuccess(data, variables) {
      onSuccess?.(data, variables);
      await refetch(invalidates);
      onRefetched?.(data);
      if (done !== undefined) {
        announce(done);
      }
    },
    onError(error) {
      onError?.(error);
      void refetch(invalidatesOnError);
    },
  });
}
