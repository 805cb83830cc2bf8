import { Alert, List } from '@mantine/core';
import type { Use } from '../api/failure.ts';
import { TextLink } from './text-link.tsx';
import { VisibleText } from './visible-text.tsx';

/** What blocks a removal, each with a link to it; nothing without uses. */
export function InUseAlert({
  title,
  uses,
  pathOfUse,
}: {
  title: string;
  uses: readonly Use[];
  pathOfUse: (id: string) => string;
}) {
  return uses.length === 0 ? null : (
    <Alert variant="outline" color="red" role="alert" title={title}>
      <List size="sm">
        {uses.map(({ id, name }) => (
          <List.Item key={id}>
            <TextLink to={pathOfUse(id)}>
              <VisibleText text={name} />
            </TextLink>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
