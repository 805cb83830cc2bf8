import type { Knex } from 'knex';

/** Whether a rule made a membership, which it may then end; and what a sign-in is renewed with. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table members add column by_rule boolean not null default false;

    create table sign_in_renewals (
      sign_in_id uuid primary key references sign_ins on delete cascade,
      -- Whom it is asked for, at what provider and as what client: of another one it is worth nothing.
      issuer text not null,
      client_id text not null,
      subject text not null,
      -- The provider's refresh token, sealed by a master key; none once the provider refused it.
      sealed_value bytea,
      sealed_data_key bytea,
      key_id text,
      -- When the provider is asked next; while it is asked, when somebody else may.
      renew_at timestamptz not null,
      refused_at timestamptz,
      -- Whether the provider refused, and nothing was settled for it since.
      refusal_counts boolean not null default false,
      check ((refused_at is null) = (sealed_value is not null and sealed_data_key is not null and key_id is not null))
    );
    create index sign_in_renewals_due on sign_in_renewals (renew_at) where refused_at is null;
  `);
}
