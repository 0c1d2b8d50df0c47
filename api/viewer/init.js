// Nothing from outside: no validator badge, no document named in the page's address.
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#viewer',
  validatorUrl: null,
  queryConfigEnabled: false,
  displayRequestDuration: true,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
});
