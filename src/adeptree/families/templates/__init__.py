"""Rules with constants on a grid."""

from adeptree.families.templates.template_class import TemplateClass
from adeptree.roles.family import Family

FAMILIES = (Family("template", TemplateClass, holds_code=True),)
