import { useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../app/signed-in.tsx';
import { api, call } from './client.ts';
import { keys } from './keys.ts';

/** The endpoints that the operator lists for the workspace; undefined until they are known. */
export function useModelEndpoints() {
  const { slug } = useWorkspace();
  const { data } = useQuery({
    queryKey: keys.modelEndpoints(slug),
    queryFn: ({ signal }) =>
      call(api.GET('/api/workspaces/{slug}/model-endpoints', { params: { path: { slug } }, signal })),
  });
  return data?.model_endpoints;
}
