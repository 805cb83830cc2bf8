{{- define "gatepost.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{/* Of one component: what Services, policies and budgets select by; it never changes. */}}
{{- define "gatepost.selector" -}}
app.kubernetes.io/name: gatepost
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "gatepost.labels" -}}
{{ include "gatepost.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{/* Of what sessions share; `session` itself is the Pods' own component. */}}
{{- define "gatepost.sessionsLabels" -}}
{{ include "gatepost.labels" (dict "root" . "component" "sessions") }}
{{- end -}}

{{- define "gatepost.image" -}}
{{- $images := .root.Values.images -}}
{{- $own := get $images .image -}}
{{- if $own -}}
{{ $own }}
{{- else -}}
{{- $suffix := eq .image "platform" | ternary "" (printf "-%s" .image) -}}
{{ printf "%sgatepost%s:%s" $images.registry $suffix ($images.tag | default .root.Chart.AppVersion) }}
{{- end -}}
{{- end -}}

{{- define "gatepost.internalApiUrl" -}}
{{ .Values.sessions.internalApiUrl | default (printf "http://%s-api.%s.svc:8080" (include "gatepost.name" .) .Release.Namespace) }}
{{- end -}}

{{/* As config/kubernetes.ts reads it. */}}
{{- define "gatepost.peer" -}}
{{ printf "pods:%s/app.kubernetes.io/name=gatepost,app.kubernetes.io/instance=%s,app.kubernetes.io/component=%s" .root.Release.Namespace .root.Release.Name .component }}
{{- end -}}

{{/* As config/public-url.ts writes it: small letters, no dot at the end of the name, no usual port. */}}
{{- define "gatepost.publicHost" -}}
{{- $url := urlParse (lower .Values.publicUrl) -}}
{{- $usual := eq $url.scheme "https" | ternary ":0*443$" ":0*80$" -}}
{{ regexReplaceAll "\\.(:|$)" (regexReplaceAll $usual $url.host "") "$1" }}
{{- end -}}

{{/* An Ingress is one proxy in front of the API. */}}
{{- define "gatepost.trustedProxies" -}}
{{- $trusted := .Values.api.trustProxy -}}
{{- if kindIs "slice" $trusted -}}
{{- join "," $trusted -}}
{{- else if eq (toString $trusted) "auto" -}}
{{- .Values.ingress.enabled -}}
{{- else -}}
{{- $trusted -}}
{{- end -}}
{{- end -}}
