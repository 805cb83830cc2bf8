import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';

/** Warns that an edit may cost the agent grants. Not for admins, who could make each of them. */
export function RevokesNote() {
  return useWorkspace().isAdmin ? null : (
    <Banner role="note" tone="wait">
      Changing what the agent runs, its MCP servers or their configuration, its instructions, environment or
      network revokes those of its grants that you could not create yourself.
    </Banner>
  );
}
