import { queryOptions } from '@tanstack/react-query';
import { api, call } from './client.ts';
import { keys } from './keys.ts';

/** A workspace with its settings. */
export const settingsQuery = (slug: string) =>
  queryOptions({
    queryKey: keys.settings(slug),
    queryFn: ({ signal }) => call(api.GET('/api/workspaces/{slug}', { params: { path: { slug } }, signal })),
  });
