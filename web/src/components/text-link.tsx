import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

/** A link to a page of ours; `to` comes from app/paths.ts. */
export function TextLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Anchor component={Link} href={to} underline="always" inherit>
      {children}
    </Anchor>
  );
}
