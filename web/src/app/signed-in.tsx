/** Who is signed in, and in which workspace the page is: known to everything below the shell. */
import { createContext, type ReactNode, useContext } from 'react';
import type { Me, WorkspaceOfMe } from '../api/types.ts';

const meContext = createContext<Me | null>(null);
const workspaceContext = createContext<WorkspaceOfMe | null>(null);

export const MeProvider = ({ me, children }: { me: Me; children: ReactNode }) => (
  <meContext.Provider value={me}>{children}</meContext.Provider>
);

export const WorkspaceProvider = ({
  workspace,
  children,
}: {
  workspace: WorkspaceOfMe;
  children: ReactNode;
}) => <workspaceContext.Provider value={workspace}>{children}</workspaceContext.Provider>;

/** The person. Throws outside of the shell. */
export function useMe(): Me {
  const me = useContext(meContext);
  if (me === null) {
    throw new Error('useMe is for what is below the shell');
  }
  return me;
}

export interface CurrentWorkspace extends WorkspaceOfMe {
  isAdmin: boolean;
}

/** The workspace of the page's address, with the person's role in it. Throws outside of a workspace. */
export function useWorkspace(): CurrentWorkspace {
  const workspace = useContext(workspaceContext);
  if (workspace === null) {
    throw new Error('useWorkspace is for the pages of a workspace');
  }
  return { ...workspace, isAdmin: workspace.role === 'admin' };
}
