import { Badge, NavLink } from '@mantine/core';
import { Link, useRoute } from 'wouter';
import { pathOf } from './paths.ts';
import { type Section, sections } from './sections.ts';
import { useWorkspace } from './signed-in.tsx';

export function Navigation({ waiting }: { waiting: number }) {
  const { isAdmin } = useWorkspace();
  const shown = sections.filter(({ adminOnly }) => isAdmin || !adminOnly);
  return shown.map((section) => (
    <SectionLink key={section.path} section={section} count={section.path === 'approvals' ? waiting : 0} />
  ));
}

function SectionLink({ section, count }: { section: Section; count: number }) {
  const { slug } = useWorkspace();
  const [isHere] = useRoute(`/:slug/${section.path}/*?`);
  return (
    <NavLink
      component={Link}
      href={pathOf(slug, section.path)}
      label={section.label}
      active={isHere}
      aria-current={isHere ? 'page' : undefined}
      rightSection={
        count > 0 ? (
          <Badge circle={count < 10} color="red" aria-label={`${count} waiting for you`}>
            {count}
          </Badge>
        ) : null
      }
    />
  );
}
