import { Redirect } from 'wouter';
import { newWorkspace, pathOf } from '../../app/paths.ts';
import { useMe } from '../../app/signed-in.tsx';

/** Redirects to the home of the first workspace, or to creating one where there is none. */
export function HomePage() {
  const [first] = useMe().workspaces;
  return <Redirect to={first === undefined ? newWorkspace : pathOf(first.slug, 'home')} replace />;
}
