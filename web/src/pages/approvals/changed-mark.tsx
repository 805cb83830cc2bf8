import type { PermissionRequest } from '../../api/types.ts';
import { Icon } from '../../components/icon.tsx';

const texts = {
  new: 'not accepted so far',
  changed: 'changed since it was accepted',
} as const;

/**
 * Beside a tool that is not as an admin accepted it. Nothing of what its server says of it stands in an
 * approval: that is the server's claim.
 */
export function ChangedMark({
  request: { changed_tools: changed },
  tool,
  decides = false,
}: {
  request: Pick<PermissionRequest, 'changed_tools'>;
  tool: { server: string; tool: string };
  decides?: boolean;
}) {
  const found = changed.find((other) => other.server === tool.server && other.tool === tool.tool);
  return found === undefined ? null : (
    <span className="changed-mark" {...(decides ? { 'data-decides': true } : {})}>
      <Icon name="warningFilled" size={12} />
      {texts[found.kind]}
    </span>
  );
}
